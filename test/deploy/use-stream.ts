import { expect } from '@jest/globals'
import { type Config, readConfig } from '../../lib/config.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { startProgram } from './program.ts'
import { beginConversation, deleteWaiting, useModels, useWaitingTurns } from './use-models.ts'
import { useApprovals } from './use-security.ts'
import { besides, forgetSeen } from './use-seldom.ts'
import { useTools } from './use-tools.ts'

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Headers = Record<string, string>

/** A request that asks to wait for a task which nobody runs, and to be told of its end. */
const patience = (priority: number) => ({
  task: { title: 'Task', prompt: 'word '.repeat(10_000), priority },
  options: { synchronous: true, timeout: 10, notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' },
})

/**
 * What the streaming function is there for; answers what it did. The container's program is a process of its own. Of those
 * who ask the same at once, all but one come too late.
 */
export const useStream = async (
  functions: Functions,
  cloud: Cloud,
  known: Headers,
  models: Headers,
): Promise<string[]> => {
  const unused = { name: 'stream', scopes: ['gateway'] }
  const { token } = await functions.http('gateway', 'POST /api/tokens', unused, known)
  const beside = await besides(cloud)
  await forgetSeen(beside)
  beside.stop()
  const { env, uses, stop } = await cloud.environmentOf()
  const program = await startProgram(['functions/agentic/server.ts'], { ...env, ...models })
  const ask = async (path: string, init: RequestInit) => (await fetch(program.url + path, init)).json()
  expect(await ask('/api/tasks/export', { headers: known })).toMatchObject({ version: '1.0' })
  await useTools(functions, program.url, known)
  await useApprovals(readConfig({ ...process.env, ...env }), (name, route, body) =>
    functions.http(name, route, body, known),
  )
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
  stop()
  return uses()
}
