"""Functions that read and write tables in a database session, one module for each topic."""
