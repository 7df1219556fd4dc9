"""Alembic's entry: runs the migrations on the connection that `revisions.migrate` hands over."""

from alembic import context

from mastermind_server.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
