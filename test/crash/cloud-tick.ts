import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../lib/config/config.ts'

/** The tick function, called as often as it ends, in a process that can be killed. */
const main = async () => {
  readConfig()
  const { handler } = await import('../../functions/tick.ts')
  const inTime = { getRemainingTimeInMillis: () => 55_000 }
  // Opens the function, which the first event would do.
  await handler({}, inTime as never)
  process.stdout.write('ready\n')
  for (;;) {
    await handler({}, inTime as never)
    await sleep(20)
  }
}

await main()
