import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { createLog } from '../../lib/adapters/node/log.ts'
import { openGroup } from '../../lib/app/cloud-http.ts'
import { readConfig } from '../../lib/config.ts'
import { DEFAULT_BODY_LIMIT } from '../../lib/http/body.ts'
import { createHost } from '../../lib/http/host.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { taskHandlers } from '../../lib/tasks/handlers.ts'

/**
 * What may outlast or outgrow the HTTP API, on node:http; the Lambda Web Adapter passes requests on and answers back as
 * they stream. Its paths are those that resources/distribution.yml sends here.
 */
const routes = { exportTasks: taskRoutes.exportTasks }
const handler = openGroup<typeof routes>(routes, taskHandlers)

const config = readConfig()
const host = createHost({
  dispatch: () => ({ handler, bodyLimit: DEFAULT_BODY_LIMIT }),
  ids: createIds({ clock: createClock() }),
  log: createLog({ level: config.LOG_LEVEL }),
})
host.listen(config.PORT, config.HOST)
process.on('SIGTERM', () => host.close())
