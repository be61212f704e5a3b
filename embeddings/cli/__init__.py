"""Commands on vectors, one file per job."""
