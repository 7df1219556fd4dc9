"""Functions of a database session, one module for each group of tables."""
