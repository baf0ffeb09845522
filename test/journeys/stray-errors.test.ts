import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect } from './client.ts'
import { isOffline, root, type Service, startService, temporaryFolder } from './service.ts'

const fixture = (name: string) => path.join(root, 'test/fixtures', name)
const folder = temporaryFolder()
const env = { AGENT_ADAPTERS: fixture('agents/stray.ts'), DEFAULT_AGENT: 'stray', DATA_DIR: folder.path }
const names = [
  ...['timer', 'immediate', 'tick', 'microtask', 'rejection', 'async function', 'emitter', 'callback'],
  ...['child', 'abort listener', 'run', 'module', 'health', 'thenable', 'progress text', 'observed event'],
  ...['kept secret', 'error message', 'error code', 'result getter', 'result toJSON', 'result waiting'],
  ...['configured', 'getter', 'health message'],
]
const OF_THE_LIST = ['health', 'health message', 'configured', 'getter']
const nodeArgs = ['--import', fixture('throw-on-signal.ts')]

let service: Service
const start = async () => {
  service = await startService({ env, nodeArgs })
}
beforeAll(start)
afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

const strayLines = () =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes('does not catch'))
    .map((line) => JSON.parse(line))

// The handler is that of the one process; Lambda has its own.
if (isOffline) process.stdout.write('Stray errors are those of the one process only.\n')
const inOneProcess = isOffline ? describe.skip : describe

inOneProcess('an error that nothing in an agent’s module catches', () => {
  it.each(names)('is logged with the agent’s name, and the service goes on: %s', async (name) => {
    const api = connect(service.baseUrl)
    const { id } = await api.create({ title: name })
    if (name === 'abort listener') {
      await api.untilTask(id, 'in_progress')
      await api.client.cancelTask({ params: { id } })
    }
    if (OF_THE_LIST.includes(name)) await api.client.listAgents()
    const isOwnError = ({ err: { message } }: { err: { message: string } }) =>
      name === 'run' || name === 'child'
        ? message.includes(name === 'run' ? 'null bytes' : '/no/child')
        : message === `stray ${name}`
    const line = await until(() => strayLines().find(isOwnError))
    expect(line).toMatchObject({ level: 'error', agent: 'stray', err: { stack: expect.any(String) } })
    expect((await fetch(`${service.baseUrl}/api/health`)).status).toBe(200)
  })
})

inOneProcess('any other error that nothing catches', () => {
  it('ends the process: an error, and a rejection', async () => {
    const endBy = async (signal: 'SIGUSR2' | 'SIGURG') => {
      service.kill(signal)
      return service.exited
    }
    const saying = (message: string) => ({
      code: 1,
      stderr: expect.stringContaining(`Error: ${message}\n    at `),
    })
    expect(await endBy('SIGUSR2')).toMatchObject(saying('an error of nobody'))
    await start()
    expect(await endBy('SIGURG')).toMatchObject(saying('a rejection of nobody'))
  })
})
