CREATE VIEW IF NOT EXISTS offers_on_record_v1 AS
SELECT
    line.id AS line,
    market.name AS market,
    CASE line.resource WHEN 0 THEN 'offer' ELSE 'volume' END AS resource,
    CASE line.offer_type WHEN 0 THEN 'on-demand' WHEN 1 THEN 'bid' ELSE 'reserved' END AS price_type,
    machine, model, memory AS memory_gb, gpus, offers, offer, host_id, geolocation,
    CASE WHEN line.resource = 1 THEN NULL WHEN line.offer_type = 0 THEN dph_base WHEN line.offer_type = 1 THEN min_bid
        ELSE discounted_dph_total END AS gpus_per_hour,
    storage_cost AS storage_per_gb_month,
    CASE WHEN line.resource = 1 THEN NULL WHEN line.offer_type = 0 THEN dph_base WHEN line.offer_type = 1 THEN min_bid
        ELSE discounted_dph_total END + storage_cost * 8 / 720 AS dollars_per_hour,
    min_bid, gpu_ram, dlperf, total_flops, cpu_name, cpu_cores_effective, cpu_ram, disk_space, disk_bw,
    inet_down AS inet_down_mbps, inet_up AS inet_up_mbps, reliability, verification, hosting_type, static_ip,
    cuda_max_good, driver_version,
    strftime('%Y-%m-%dT%H:%M:%SZ', end_date, 'unixepoch') AS ends,
    strftime('%Y-%m-%dT%H:%M:%SZ', (
        SELECT max(coalesce(member.last, (SELECT max(at) FROM response
            WHERE response.scope = member.scope AND proof < 3))) FROM member WHERE member.line = line.id
    ) - (SELECT max(ahead) FROM scope WHERE scope.market = line.market), 'unixepoch') AS seen,
    EXISTS (SELECT 1 FROM member WHERE member.line = line.id AND ended IS NULL AND last IS NULL) AS on_offer
FROM line JOIN market ON market.id = line.market;

CREATE VIEW IF NOT EXISTS price_history_v1 AS
WITH edge AS (
    SELECT DISTINCT line, until FROM change WHERE field IN (SELECT id FROM field
        WHERE name IN ('dph_base', 'min_bid', 'discounted_dph_total', 'storage_cost'))
    UNION ALL SELECT id, NULL FROM line
), span AS (
    SELECT line, until, coalesce(lag(until) OVER (PARTITION BY line ORDER BY until NULLS LAST),
        (SELECT min(first) FROM member WHERE member.line = edge.line)) AS since
    FROM edge
), price AS (
    SELECT span.line, since, until,
        (SELECT value FROM (SELECT change.until, value FROM change WHERE change.line = span.line
            AND change.until >= span.until AND field = (SELECT id FROM field WHERE name = 'dph_base')
            UNION ALL SELECT 9223372036854775807, dph_base FROM line WHERE id = span.line) ORDER BY 1 LIMIT 1) AS base,
        (SELECT value FROM (SELECT change.until, value FROM change WHERE change.line = span.line
            AND change.until >= span.until AND field = (SELECT id FROM field WHERE name = 'min_bid')
            UNION ALL SELECT 9223372036854775807, min_bid FROM line WHERE id = span.line) ORDER BY 1 LIMIT 1) AS bid,
        (SELECT value FROM (SELECT change.until, value FROM change WHERE change.line = span.line
            AND change.until >= span.until AND field = (SELECT id FROM field WHERE name = 'discounted_dph_total')
            UNION ALL SELECT 9223372036854775807, discounted_dph_total FROM line WHERE id = span.line)
            ORDER BY 1 LIMIT 1) AS discounted,
        (SELECT value FROM (SELECT change.until, value FROM change WHERE change.line = span.line
            AND change.until >= span.until AND field = (SELECT id FROM field WHERE name = 'storage_cost')
            UNION ALL SELECT 9223372036854775807, storage_cost FROM line WHERE id = span.line) ORDER BY 1 LIMIT 1) AS storage
    FROM span
)
SELECT
    line.id AS line, market.name AS market, machine, model, memory AS memory_gb, gpus,
    CASE line.offer_type WHEN 0 THEN 'on-demand' WHEN 1 THEN 'bid' ELSE 'reserved' END AS price_type,
    strftime('%Y-%m-%dT%H:%M:%SZ', since - ahead, 'unixepoch') AS since,
    strftime('%Y-%m-%dT%H:%M:%SZ', until - ahead, 'unixepoch') AS until,
    CASE WHEN line.resource = 1 THEN NULL WHEN line.offer_type = 0 THEN base WHEN line.offer_type = 1 THEN bid
        ELSE discounted END AS gpus_per_hour,
    storage AS storage_per_gb_month,
    bid AS min_bid
FROM price JOIN line ON line.id = price.line JOIN market ON market.id = line.market
    JOIN (SELECT market AS of_market, max(ahead) AS ahead FROM scope GROUP BY market) ON of_market = line.market;

CREATE VIEW IF NOT EXISTS requests_v1 AS
SELECT
    market.name AS market,
    scope.id AS scope,
    CASE scope.resource WHEN 0 THEN 'offer' ELSE 'volume' END AS resource,
    CASE scope.offer_type WHEN 0 THEN 'on-demand' WHEN 1 THEN 'bid' ELSE 'reserved' END AS price_type,
    storage AS storage_gb, bundled, conditions, excluded,
    strftime('%Y-%m-%dT%H:%M:%SZ', at - ahead, 'unixepoch') AS sent,
    took AS took_ms,
    CASE proof WHEN 0 THEN 'complete' WHEN 1 THEN 'up to a price' WHEN 2 THEN 'some' ELSE 'nothing' END AS proof,
    below, rows, every AS every_seconds
FROM response JOIN scope ON scope.id = response.scope JOIN market ON market.id = scope.market;
