"""Opening, finding, joining, following and listing matches."""
