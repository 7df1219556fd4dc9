"""Similar names: skeletons by Unicode's UTS #39, its table, and our additions."""
