"""Tables in and out, block by block: CSV, TSV, lines of JSON, Parquet; gzip too.

- :mod:`.pair_table`: pairs of sentences, with gold; :mod:`.text_rows`: a column of sentences;
- :mod:`.table_reader`, :mod:`.table_writer`: rows as they are;
- :mod:`.table_kinds`: formats by the names of files, and the options of commands.
"""
