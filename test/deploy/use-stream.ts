import { expect } from '@jest/globals'
import type { Config } from '../../lib/config.ts'
import { chunk, DONE, events, startWire, usage } from '../fakes/model-wire.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { startProgram } from './program.ts'
import { beginConversation, deleteWaiting, useModels, useWaitingTurns } from './use-models.ts'
import { besides, forgetSeen } from './use-seldom.ts'

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Headers = Record<string, string>

/** A request that asks to wait for a task which nobody runs, and to be told of its end. */
const patience = (priority: number) => ({
  task: { title: 'Task', prompt: 'word '.repeat(10_000), priority },
  options: { synchronous: true, timeout: 10, notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' },
})

const SAYS = events(
  chunk({ role: 'assistant', content: 'word '.repeat(10_000) }),
  chunk({}, 'stop'),
  usage(1, 1),
  DONE,
)

/**
 * What the streaming function is there for; answers what it did. The container's program is a process of its own. Of those
 * who ask the same at once, all but one come too late.
 */
export const useStream = async (functions: Functions, cloud: Cloud, known: Headers): Promise<string[]> => {
  const unused = { name: 'stream', scopes: ['gateway'] }
  const { token } = await functions.http('gateway', 'POST /api/tokens', unused, known)
  const beside = await besides(cloud)
  await forgetSeen(beside)
  beside.stop()
  const { env, uses, stop } = await cloud.environmentOf()
  const wire = await startWire(SAYS)
  const provider = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${wire.origin}/v1`, OPENAI_MODEL: 'model-7' }
  const program = await startProgram(['functions/agentic/server.ts'], { ...env, ...provider })
  const ask = async (path: string, init: RequestInit) => (await fetch(program.url + path, init)).json()
  expect(await ask('/api/tasks/export', { headers: known })).toMatchObject({ version: '1.0' })
  for (const priority of [1, 3]) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `stream-${priority}`,
    }
    const init = { method: 'POST', headers, body: JSON.stringify(patience(priority)) }
    const answers = await Promise.all([1, 2, 3].map(() => ask('/api/gateway', init)))
    for (const answer of answers) expect(answer).toMatchObject({ status: 'queued' })
  }
  await useModels(functions, program.url, known)
  const begun: string[] = []
  const begin = async (config: Config) => void begun.push(await beginConversation(config))
  for (let n = 0; n < 2; n++) await functions.as('chat', begin)
  const [answered = '', waiting = ''] = begun
  await useWaitingTurns(env, answered, waiting)
  await functions.as('chat', deleteWaiting(waiting))
  await functions.invoke('tick', {})
  await program.stop()
  await wire.close()
  stop()
  return uses()
}
