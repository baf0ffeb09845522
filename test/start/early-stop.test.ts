import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { collections } from '../../lib/collections.ts'
import { createLastExit } from '../../lib/worker/last-exit.ts'
import { launchService, startService, temporaryFolder } from '../journeys/service.ts'

/** Sends itself SIGTERM as soon as a port is open, which is before the start is over. */
const stopsItself = `
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...given) {
    this.once('listening', () => process.kill(process.pid, 'SIGTERM'))
    return listen.apply(this, given)
  }`
const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(stopsItself)}`]

describe('a service that hears SIGTERM before its start is over', () => {
  it('ends in order, without a word', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, ANTHROPIC_API_KEY: 'never-used' }
    await (await startService({ env })).stop()
    for (let round = 0; round < 3; round++) {
      await using service = launchService({ env, nodeArgs })
      expect(await service.exited).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
      const store = openSqliteStore({ file: folder.in('service.db'), collections, clock: createClock() })
      const lastExit = createLastExit(store)
      expect(await lastExit.begin()).toBe(true)
      await lastExit.end()
      await store.close()
    }
  })
})
