import { createOtlpExporter } from '../adapters/node/otlp.ts'
import { createTracing } from '../adapters/node/tracing.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Tracing } from '../ports/tracing.ts'
import { VERSION } from '../version.ts'

/** The traces of the process, exported if the operator has set a collector. */
export const openTracing = (config: Config, { clock, log }: { clock: Clock; log: Log }): Tracing => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = config
  if (endpoint === undefined) return createTracing({ clock })
  const resource = { 'service.name': config.OTEL_SERVICE_NAME, 'service.version': VERSION }
  return createTracing({ clock, exporter: createOtlpExporter({ endpoint, headers, resource, clock, log }) })
}
