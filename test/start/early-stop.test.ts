import { describe, expect, it } from '@jest/globals'
import { recordWithoutLog } from '../../lib/adapters/sqlite/check-log.ts'
import { launchService, startService, temporaryFolder } from '../journeys/service.ts'

/** Sends itself SIGTERM as soon as a port is open, and goes on with its start so many milliseconds after that has arrived. */
const stopsItself = (delayMs: number) => `
  import { Server } from 'node:net'
  const { emit } = Server.prototype
  Server.prototype.emit = function (name, ...given) {
    if (name !== 'listening') return emit.call(this, name, ...given)
    process.once('SIGTERM', () => setTimeout(() => emit.call(this, name, ...given), ${delayMs}))
    process.kill(process.pid, 'SIGTERM')
    return true
  }`
const nodeArgs = (delayMs: number) => [
  '--import',
  `data:text/javascript,${encodeURIComponent(stopsItself(delayMs))}`,
]

describe('a service that gets SIGTERM before its start is over', () => {
  it('ends in order, without a word', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, ANTHROPIC_API_KEY: 'never-used' }
    await (await startService({ env })).stop()
    for (const delayMs of [1, 100]) {
      await using service = launchService({ env, nodeArgs: nodeArgs(delayMs) })
      expect(await service.exited).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
      expect(recordWithoutLog(folder.in('service.db'))).toMatchObject({ isOpen: false })
    }
  })
})
