import { describe, expect, it } from '@jest/globals'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains, turns } from '../fakes/service.ts'
import { storeIn } from './samples.ts'

const FIRES = '\u{1f525}'.repeat(2_000)
const HALF = '\ud83d'
/** An escape of half of a character, in JSON. */
const HALF_ESCAPED = /\\ud[89a-f]/i

const started = async (execute: AgentAdapter['execute']) => {
  const service = await startDomains({ adapters: [createFakeAgent(execute)] })
  return { service, call: createCaller(service) }
}

describe('what an agent says', () => {
  it.each<[string, AgentAdapter['execute']]>([
    [
      'an error that is cut in a character',
      async () => {
        throw Object.assign(new Error('x'.repeat(998) + FIRES), { retryable: false })
      },
    ],
    [
      'an error with half of a character',
      async () => {
        throw Object.assign(new Error(`a${HALF}b`), { retryable: false })
      },
    ],
    ['an output with half of a character', async () => ({ success: true, output: `a${HALF}b` })],
    [
      'a result with half of a character in a field and a name',
      async () => ({ success: true, output: 'a', more: { [`a${HALF}`]: [`\ude00b`] } }),
    ],
    ['a failure with half of a character', async () => ({ success: false, output: HALF, retryable: false })],
    [
      'progress that is cut in a character, and progress with half of one',
      async (_task, { progress }) => {
        await progress('x'.repeat(1_999) + FIRES)
        await progress(`a${HALF}b`)
        return { success: true, output: 'a' }
      },
    ],
  ])('is whole characters in every answer, and its export is imported: %s', async (_what, execute) => {
    const { service, call } = await started(execute)
    const { id } = await service.run({ title: `x${FIRES.slice(0, 400)}`, prompt: FIRES })
    await turns()
    const paths = [
      `/api/tasks/${id}`,
      `/api/tasks/${id}/events`,
      '/api/dlq',
      '/api/notifications',
      '/api/tasks',
    ]
    const read = await Promise.all(paths.map((path) => call(`GET ${path}`)))
    const { body: file } = await call('GET /api/tasks/export')
    expect(JSON.stringify([read.map(({ body }) => body), file])).not.toMatch(HALF_ESCAPED)

    const target = await started(execute)
    const { body } = await target.call('POST /api/tasks/import', { body: file })
    expect(body.results).toEqual({ imported: 1, skipped: 0, errors: [] })
  })
})

describe('an export', () => {
  it('has whole characters where storage has half of one', async () => {
    const source = await started(async () => ({ success: true, output: '' }))
    await storeIn(source.service, 'failed', { error: { code: 'agent_error', message: `x${HALF}` } })
    const { body: file } = await source.call('GET /api/tasks/export')
    expect(file.tasks[0].error.message).toBe('x\ufffd')
  })
})
