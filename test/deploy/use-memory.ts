import { openCloud } from '../../lib/app/cloud.ts'
import type { Config } from '../../lib/config/config.ts'
import { bucketEvent } from './bucket-event.ts'
import type { Functions } from './functions.ts'

/** More chunks than a row keeps in itself. */
const LONG_FILE = Array.from({ length: 4_000 }, (_, n) => `Line ${n} of a long file.`).join('\n\n')

type Call = (name: string, route: string, body?: unknown) => Promise<unknown>
// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Answer = any

/** Memory, from its files to what was forgotten of them; sessions and experiences. */
export const useMemory = async (
  { invoke, feedTexts, putFile, as, dropCopies }: Functions,
  ask: Call,
): Promise<void> => {
  const call = (route: string, body?: unknown): Promise<Answer> => ask('memory', route, body)
  for (const name of ['a.md', 'b/c.md', 'd.md']) await putFile(name, `# Title\n\n${name}`)
  await putFile('long.md', LONG_FILE)
  await call('POST /api/memory/sync')
  await putFile('long.md', `${LONG_FILE}, changed`)
  await call('POST /api/memory/sync')
  await call('POST /api/memory/search', { query: 'title' })
  await as('memory', searchByMeaning)
  for (const path of ['stats', 'files', 'watcher/status']) await call(`GET /api/memory/${path}`)
  const { chunks } = await call('GET /api/memory/files/b%2Fc.md/chunks')
  await call(`POST /api/memory/chunks/${chunks[0].id}/rate`, { useful: true })
  for (const useful of [true, false])
    await call(`POST /api/memory/chunks/${chunks[0].id}/rate`, { useful, taskId: 'task_1' })
  await call('GET /api/memory/verdicts?taskId=task_1')
  await call(`DELETE /api/memory/chunks/${chunks[0].id}`)
  await call('DELETE /api/memory/files/a.md')
  const { conversation } = (await ask('chat', 'POST /api/chat/conversations', {})) as Answer
  await useSessions(call, conversation.id)
  await useExperiences(call)
  for (const name of ['worker', 'runners']) {
    await as(name, learnAndGuide)
    await as(name, recall)
    await dropCopies()
    await as(name, recall)
  }
  await putFile('long.md', `${LONG_FILE}, reported`)
  await feedTexts('memory', 'memory-events', bucketEvent('ObjectCreated:Put', 'long.md'))
  // The tick takes in what has changed, too.
  await putFile('long.md', `${LONG_FILE}, changed again`)
  await invoke('tick', {})
  await call('DELETE /api/memory/all')
}

/** What an agent finds, in a process that has just started. */
const recall = async (config: Config) => {
  const found = await (await openCloud(config)).memory.recall('title')
  if (found.length === 0) throw new Error('Nothing was found in memory')
}

/** A search with an embedding model whose key nobody has stored: its provider cannot be asked, words are found all the same. */
const searchByMeaning = async (config: Config) => {
  const { memory } = await openCloud({ ...config, EMBEDDING_MODEL: 'openrouter/m' })
  const { method, count } = await memory.search({ query: 'title', maxResults: 1 })
  if (method !== 'lexical' || count === 0) throw new Error(`Found ${count} by a ${method} search`)
}

/** What is recorded of a task, so long that it does not fit its row, and given to one that is like it. */
const learnAndGuide = async (config: Config) => {
  const { memory } = await openCloud(config)
  const task = {
    id: 'task_1',
    title: 'repair the roof',
    labels: [],
    createdBy: 'user_1',
    agent: 'coding-agent',
  }
  const filesChanged = Array.from({ length: 50 }, (_, n) => ({ path: `${'folder/'.repeat(120)}${n}.ts` }))
  await memory.learn(task, { output: 'carefully', filesChanged })
  await memory.learn(task, { output: 'carefully', filesChanged })
  const { experiences } = await memory.guide({ title: 'repair the roof' })
  if (experiences.length === 0) throw new Error('The worker found no experience')
}

const useSessions = async (
  call: (route: string, body?: unknown) => Promise<Answer>,
  conversationId: string,
) => {
  const { session } = await call('POST /api/memory/sessions', { name: 'title', conversationId })
  await call(`GET /api/memory/sessions?conversationId=${conversationId}`)
  await call(`GET /api/memory/sessions/${session.id}`)
  await call('POST /api/memory/warm', { conversationId })
  await call(`POST /api/memory/sessions/${session.id}/archive`)
}

const useExperiences = async (call: (route: string, body?: unknown) => Promise<Answer>) => {
  // So long that it does not fit its row.
  const given = { type: 'task_solution', intent: 'repair', solution: 'carefully '.repeat(4_500) }
  const { experience } = await call('POST /api/memory/experiences', given)
  await call('POST /api/memory/experiences', given)
  await call('GET /api/memory/experiences')
  await call('GET /api/memory/experiences/search?q=repair')
  await call(`GET /api/memory/experiences/${experience.id}`)
  for (const given of [{}, { useful: true, taskId: 'task_1' }, { useful: false, taskId: 'task_1' }])
    await call(`POST /api/memory/experiences/${experience.id}/use`, given)
  await call(`DELETE /api/memory/experiences/${experience.id}`)
}
