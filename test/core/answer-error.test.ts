import { describe, expect, it } from '@jest/globals'
import { toAnswerError } from '../../lib/core/answer-error.ts'
import { Problem } from '../../lib/core/errors.ts'

describe('the error of an answer', () => {
  it.each<[what: string, thrown: unknown, code: string, message: RegExp]>([
    ['a Problem', new Problem('unavailable', 'timeout', 'Too late'), 'timeout', /^Too late$/],
    ['the stop of a session', new Problem('unavailable', 'ORPHANED', 'No reader'), 'orphaned', /^No reader$/],
    ['a closed connection', new DOMException('Aborted', 'AbortError'), 'cancelled', /caller left/],
    ['any other error', new Error('secret details'), 'internal_error', /^(?!.*secret)/],
    ['a value that is no error', undefined, 'internal_error', /^Something went wrong$/],
  ])('of %s has its code', (_what, thrown, code, message) => {
    expect(toAnswerError(thrown)).toEqual({ code, message: expect.stringMatching(message) })
  })
})
