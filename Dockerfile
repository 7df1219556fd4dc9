# The server, and the proxy before several of them. The build stage has pip and the sources, the
# server's image only what runs.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python3 -m venv /opt/mastermind
# Dependencies first: they change less often than the code, and their layer is kept.
COPY pyproject.toml constraints.txt README.md ./
RUN mkdir -p protocol/mastermind_protocol server/mastermind_server client/mastermind_client \
    && /opt/mastermind/bin/pip install --no-cache-dir --constraint constraints.txt '.[postgresql]'
COPY protocol protocol
COPY server server
COPY client client
RUN /opt/mastermind/bin/pip install --no-cache-dir --no-deps --force-reinstall .

# Caddy for a user without rights: what it keeps, certificates, is in a folder that it may write to.
FROM caddy:2 AS proxy
COPY Caddyfile /etc/caddy/Caddyfile
RUN mkdir /certificates && chown 10002:10002 /certificates
ENV XDG_DATA_HOME=/certificates XDG_CONFIG_HOME=/tmp
USER 10002:10002

FROM python:3.11-slim-bookworm AS server
COPY --from=build /opt/mastermind /opt/mastermind
# Volumes begin as these folders are: one for a SQLite file, one for the password of PostgreSQL.
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin mastermind \
    && install -d -o mastermind -g mastermind /data /secrets
ENV PATH=/opt/mastermind/bin:$PATH MASTERMIND_HOST=0.0.0.0 XDG_DATA_HOME=/data
USER 10001
EXPOSE 8765
ENTRYPOINT ["mastermind-server"]
