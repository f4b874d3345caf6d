"""What is measured of learning from conversations, one file for each sort of labels."""
