import { expect } from '@jest/globals'
import { type Config, readConfig } from '../../lib/config/config.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { startProgram } from './program.ts'
import {
  beginConversation,
  cancelWaiting,
  deleteAndDie,
  deleteWaiting,
  endRunning,
  plantBelongings,
  refuseLeft,
  useModels,
  useWaitingTurns,
} from './use-models.ts'
import { useApprovals } from './use-security.ts'
import { besides, forgetSeen } from './use-seldom.ts'
import { useTools } from './use-tools.ts'

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Headers = Record<string, string>

/** A request that asks to wait for a task which nobody runs, and to be told of its end. */
const patience = (priority: number) => ({
  task: { title: 'Task', prompt: 'word '.repeat(10_000), priority, source: 'codehost', sourceId: 'a#2' },
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
  more: (url: string) => Promise<void>,
): Promise<string[]> => {
  const unused = { name: 'stream', scopes: ['gateway'] }
  const { token } = await functions.http('gateway', 'POST /api/tokens', unused, known)
  const beside = await besides(cloud)
  await forgetSeen(beside)
  beside.stop()
  const { env, uses, stop } = await cloud.openEnvironment()
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
  await followLive(functions, program.url, known)
  const search = { method: 'POST', headers: { ...known, 'content-type': 'application/json' } }
  const searched = await ask('/api/memory/search', { ...search, body: JSON.stringify({ query: 'title' }) })
  expect(searched).toMatchObject({ method: 'lexical' })
  await more(program.url)
  await useEnds(functions, cloud, env)
  await program.stop()
  stop()
  return uses()
}

/** Follows what changes while a task is made, and once more, which renews the mark that somebody watches. */
const followLive = async (functions: Functions, url: string, known: Headers): Promise<void> => {
  const read = async (type: string, begun?: () => Promise<unknown>) => {
    const answer = await fetch(`${url}/api/events/stream`, { headers: known })
    let text = ''
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (text === '') await begun?.()
      text += piece
      if (text.includes(`"type":"${type}"`)) return
    }
    throw new Error(`The stream ended without ${type}: ${text}`)
  }
  await read('ready')
  await read('task.created', async () => {
    await functions.http('tasks', 'POST /api/tasks', { title: 'Watched' }, known)
    await functions.drain()
  })
}

/** Turns that wait, and what becomes of them and their conversations: decided, cancelled, deleted, and left by a death. */
const useEnds = async (functions: Functions, cloud: Cloud, env: Headers): Promise<void> => {
  const begun: string[] = []
  const begin = async (config: Config) => void begun.push(await beginConversation(config))
  for (let n = 0; n < 4; n++) await functions.as('chat', begin)
  const [answered = '', cancelled = '', deleted = '', left = ''] = begun
  await useWaitingTurns(env, answered, [cancelled, deleted, left])
  const beside = await besides(cloud)
  await plantBelongings(beside, cancelled)
  await functions.as('chat', cancelWaiting(cancelled))
  await plantBelongings(beside, deleted, 'appr_deleted')
  await functions.as('chat', deleteWaiting(deleted))
  await plantBelongings(beside, left, 'appr_left')
  await deleteAndDie(beside, left)
  for (const id of [deleted, left]) await endRunning(beside, id)
  await functions.invoke('tick', {})
  await refuseLeft(beside)
  beside.stop()
}
