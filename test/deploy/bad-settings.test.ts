import { describe, expect, it } from '@jest/globals'
import { startProgram } from './program.ts'

const WRONG = { QUEUE_RETRY_TYPE: 'foo', LOG_LEVEL: 'loud' }
const NAMED = 'QUEUE_RETRY_TYPE: must be one of exponential, fixed; LOG_LEVEL: must be one of'
const PROGRAMS = [
  ['functions/agentic/server.ts'],
  ['functions/agentic/events.ts', 'functions/worker.ts'],
] as const

describe('a program of the container whose settings cannot be read', () => {
  it('answers as HTTP functions do, and names them in its log', async () => {
    const program = await startProgram(PROGRAMS[0], WRONG)
    try {
      const answer = await fetch(`${program.url}/api/tasks/export`)
      expect(answer.status).toBe(500)
      expect(await answer.json()).toMatchObject({
        code: 'internal_error',
        requestId: answer.headers.get('x-request-id'),
      })
      expect(program.logged().at(-1)).toMatchObject({
        level: 'error',
        err: { message: expect.stringContaining(NAMED) },
      })
    } finally {
      await program.stop()
    }
  })

  it.each(PROGRAMS)('ends with one line when it cannot know where to listen: %s', async (...args) => {
    const ended = expect.stringMatching(/: \{.*"reason":"PORT: must be a whole number".*\}\n$/)
    await expect(startProgram(args, { PORT: 'any', LOG_LEVEL: 'info' })).rejects.toMatchObject({
      message: ended,
    })
  })
})
