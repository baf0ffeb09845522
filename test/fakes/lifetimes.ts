import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'

type Hook = (act: () => Promise<void>) => void
type Hooks = { before: Hook; after: Hook }

const during = <T>({ before, after }: Hooks, start: () => Promise<T>, stop: (part: T) => unknown) => {
  let part: { started: T } | undefined
  before(async () => {
    part = { started: await start() }
  })
  after(async () => {
    // What did not start has nothing to stop.
    if (part) await stop(part.started)
    part = undefined
  })
  return (): T => {
    if (part === undefined) throw new Error('It lives only while tests run')
    return part.started
  }
}

/** Starts a part before the first test of a file, or of a `describe`, and stops it after the last; gives it to the tests. */
export const forAllTests = <T>(start: () => Promise<T>, stop: (part: T) => unknown): (() => T) =>
  during({ before: beforeAll, after: afterAll }, start, stop)

/** As `forAllTests`, but a part of its own for each test. */
export const forEachTest = <T>(start: () => Promise<T>, stop: (part: T) => unknown): (() => T) =>
  during({ before: beforeEach, after: afterEach }, start, stop)
