# The server, and the proxy before several of them. The build stage has pip and the sources, the
# server's image Python and what runs, and no shell.
FROM python:3.11-slim-bookworm AS build
RUN mkdir /volume
WORKDIR /src
# Dependencies first: they change less often than the code, and their layers are kept. Each is what
# it was when its hash was written down (make hashes).
COPY image/build-requirements.txt image/requirements.txt ./
RUN python3 -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes \
        --requirement build-requirements.txt
RUN python3 -m venv --without-pip /opt/mastermind \
    && pip --python /opt/mastermind/bin/python install --no-cache-dir --require-hashes \
        --requirement requirements.txt
COPY pyproject.toml README.md ./
COPY protocol protocol
COPY server server
COPY client client
COPY web web
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && pip --python /opt/mastermind/bin/python install --no-deps --no-index /wheels/*.whl

# Caddy for a user without rights: what it keeps, certificates, is in a folder that it may write to.
FROM caddy:2 AS proxy
COPY Caddyfile /etc/caddy/Caddyfile
RUN mkdir /certificates && chown 10002:10002 /certificates
ENV XDG_DATA_HOME=/certificates XDG_CONFIG_HOME=/tmp
USER 10002:10002

# PostgreSQL with Patroni and etcd, all of Debian, for docker-compose.ha.yml.
FROM python:3.11-slim-bookworm AS database
RUN mkdir --parents /etc/postgresql-common \
    && echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf \
    && apt-get update \
    && apt-get install --yes --no-install-recommends etcd-server patroni postgresql-15 python3-etcd \
    && rm -rf /var/lib/apt/lists/* \
    && install --directory --owner=postgres --group=postgres --mode=700 /data
COPY image/patroni.yml /etc/patroni.yml
USER postgres

FROM python:3.11-slim-bookworm AS system
RUN groupadd --gid 10001 mastermind \
    && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin mastermind
COPY image/strip.py /
RUN ["python3", "/strip.py"]

# Of one layer: nothing that is gone can be found below it.
FROM scratch AS server
COPY --from=system / /
COPY --from=build /opt/mastermind /opt/mastermind
COPY --from=build /wheels /opt/mastermind/wheels
# Volumes begin as these folders are: one for a SQLite file, one for the password of PostgreSQL.
COPY --from=build --chown=10001:10001 /volume /data
COPY --from=build --chown=10001:10001 /volume /secrets
ENV PATH=/opt/mastermind/bin LANG=C.UTF-8 MASTERMIND_HOST=0.0.0.0 XDG_DATA_HOME=/data \
    MASTERMIND_DOWNLOADS=/opt/mastermind/wheels
USER 10001:10001
EXPOSE 8765
ENTRYPOINT ["mastermind-server"]
