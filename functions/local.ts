import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isOnTerminal } from '../lib/adapters/node/log.ts'
import { openLocalApp } from '../lib/app/local.ts'
import { banner, complain } from '../lib/app/start-up.ts'
import { readConfig } from '../lib/config/config.ts'
import { badSetting } from '../lib/core/bad-setting.ts'
import { errorMessage, Problem } from '../lib/core/errors.ts'

/** The whole service in one process: `npm start`. */
const main = async () => {
  const config = readConfig()
  if (config.SERVICE_MODE === 'pro')
    throw badSetting(
      'SERVICE_MODE: npm start supports mini and pico. Mode pro runs as functions (npm run offline, or deployed)',
    )
  const app = await openLocalApp(config)
  endOnSignal(app)
  app.server.listen(config.PORT, config.HOST)
  await once(app.server, 'listening')
  // Read now: after a signal the server has no address any more.
  const { port } = app.server.address() as AddressInfo
  await app.start()
  const signIn = await app.signIn()
  if (isEnding) return
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST
  process.stdout.write(
    banner({ ...app.facts, signIn, url: `http://${host}:${port}`, onTerminal: isOnTerminal() }),
  )
}

let isEnding = false

/** The first signal begins an orderly end; further ones do not shorten it. */
const endOnSignal = ({ close }: Awaited<ReturnType<typeof openLocalApp>>) => {
  const end = () => {
    if (isEnding) return
    isEnding = true
    // Timers of the clock keep no process alive, and a run may be only a promise: this timer waits for it.
    setInterval(() => undefined, 1_000)
    close().then(
      () => process.exit(0),
      (thrown) => {
        complain(`The service did not stop cleanly: ${errorMessage(thrown)}`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

main().catch((thrown) => {
  // A start that a signal interrupted has not failed.
  if (isEnding) return
  complain(failureText(thrown))
  process.exit(1)
})

const failureText = (thrown: unknown) => {
  if (thrown instanceof Problem) return `Cannot start: ${thrown.message}`
  const { code, port } = thrown as { code?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Cannot start: port ${port} is in use. Stop the other program, or set PORT.`
  return `Cannot start: ${errorMessage(thrown)}`
}
