# One server. The build stage has pip and the sources, the image only what runs.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python3 -m venv /opt/mastermind
# Dependencies first: they change less often than the code, and their layer is kept.
COPY pyproject.toml constraints.txt README.md ./
RUN mkdir -p protocol/mastermind_protocol server/mastermind_server client/mastermind_client \
    && /opt/mastermind/bin/pip install --no-cache-dir --constraint constraints.txt .
COPY protocol protocol
COPY server server
COPY client client
RUN /opt/mastermind/bin/pip install --no-cache-dir --no-deps --force-reinstall .

FROM python:3.11-slim-bookworm
COPY --from=build /opt/mastermind /opt/mastermind
RUN useradd --system --uid 10001 --no-create-home mastermind \
    && install -d -o mastermind -g mastermind /data
USER mastermind
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["/opt/mastermind/bin/mastermind-server", "--host", "0.0.0.0"]
CMD ["--port", "8765", "--database", "/data/mastermind.sqlite3"]
