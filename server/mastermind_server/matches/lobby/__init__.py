"""Opening, finding, joining and listing matches."""
