"""Tables in and out, block by block: CSV, TSV, lines of JSON, Parquet; gzip too.

- :func:`.pair_table.pair_blocks`, :func:`.pair_table.read_graded`: pairs, with gold;
- :class:`.text_rows.TextRows`, :func:`.text_rows.read_texts`: a column of sentences;
- :func:`.table_reader.read_blocks`: rows as they are; :func:`.table_writer.writer` writes them;
- :mod:`.table_cells`: which columns are meant, and what a cell may hold;
- :mod:`.table_kinds`: formats by the names of files; :mod:`.pair_options`: options of commands.
"""
