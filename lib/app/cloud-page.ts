import { createClock } from '../adapters/node/clock.ts'
import { createIds } from '../adapters/node/ids.ts'
import { createLog } from '../adapters/node/log.ts'
import { createPageFiles } from '../adapters/node/page-files.ts'
import { environmentSecrets } from '../config/config.ts'
import { createMasker } from '../core/masker.ts'
import { ANONYMOUS } from '../core/principal.ts'
import { type BufferedResponse, buffered } from '../http/buffered-response.ts'
import { type HttpEvent, withRequestId } from '../http/event.ts'
import { lambda } from '../http/lambda.ts'
import { createPage } from '../http/page.ts'
import { problemResult, toProblem } from '../http/problem.ts'
import { withCommonHeaders } from '../http/respond.ts'
import type { Place } from '../http/router.ts'

/** Serves the page from a folder, and answers other paths as not found. It reads no setting, storage or session. */
export const servePage = (folder: string, known: readonly Place[]) => {
  const clock = createClock()
  const ids = createIds({ clock })
  const log = createLog({ level: 'error', masker: createMasker(environmentSecrets()) })
  // Without routes no caller is authenticated.
  const http = {
    guard: async () => ANONYMOUS,
    holds: async () => true,
    proxies: { trustedHops: 0 },
    record: () => undefined,
    clock,
    log,
  }
  const serve = createPage({ files: createPageFiles(folder), otherwise: lambda(http, {}, {}, known) })
  return async (event: HttpEvent, context: object): Promise<BufferedResponse> => {
    const requestId = ids.next('req')
    try {
      return await buffered(await serve(withRequestId(event, requestId), context))
    } catch (err) {
      log.error({ err, requestId }, 'the page cannot be served')
      return buffered(withCommonHeaders(problemResult(toProblem(err), requestId), requestId))
    }
  }
}
