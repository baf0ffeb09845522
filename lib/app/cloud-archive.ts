import { openS3 } from '../adapters/aws/clients.ts'
import { createS3Archive } from '../adapters/aws/s3-archive.ts'
import type { Config } from '../config.ts'
import type { HttpHandler } from '../http/event.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import { COPY_HEADER } from '../tasks/export.ts'
import { createExportCopies, type KeepExport } from '../tasks/export-copy.ts'
import { required } from './cloud.ts'

/** Copies of exports in the bucket of large bodies; a rule of the bucket removes them after 30 days. */
export const openExportCopies = (config: Config, ports: { ids: Ids; log: Log }): KeepExport => {
  const client = openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT })
  return createExportCopies({
    archive: createS3Archive({ client, bucket: required(config, 'FILES_BUCKET') }),
    ids: ports.ids,
    log: ports.log,
  })
}

/** An answer to HEAD has no body and leaves no copy, so it names none. */
export const withoutCopyOnHead =
  (handler: HttpHandler): HttpHandler =>
  async (event, context) => {
    const answer = await handler(event, context)
    if (event.requestContext.http.method !== 'HEAD') return answer
    const { [COPY_HEADER]: _, ...headers } = answer.headers
    return { ...answer, headers }
  }
