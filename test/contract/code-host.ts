import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { CodeHost, CodeHostAccount, WantedPullRequest } from '../../lib/ports/code-host.ts'
import type { TestCodeHost } from '../fakes/code-host.ts'

/** A code host with the repository `owner/repo`, whose API is below `api`, and an account that may do all there. */
export type OpenCodeHost = () => Promise<{
  host: TestCodeHost
  api: string
  account: CodeHostAccount
  codeHost: () => CodeHost
  close: () => Promise<unknown>
}>

export const wanted: WantedPullRequest = {
  repository: { owner: 'owner', name: 'repo' },
  branch: 'agent/task_1',
  base: 'main',
  title: 'Title',
  body: 'Body',
  isOwnBranch: true,
}

/** Answers so to requests of that method and path, the first times. */
export const failing = (
  host: TestCodeHost,
  [method, path]: readonly [string, string],
  answer: NonNullable<TestCodeHost['fault']>,
  times = 99,
) => {
  let left = times
  host.fault = (asked, at) => (asked === method && at === path && left-- > 0 ? answer(asked, at) : undefined)
}

/** What every code host must do. */
export const codeHostContract = (name: string, start: OpenCodeHost) =>
  describe(`a pull request at ${name}`, () => {
    let opened: Awaited<ReturnType<OpenCodeHost>>
    let host: TestCodeHost
    beforeAll(async () => {
      opened = await start()
      host = opened.host
      host.commit(wanted.branch)
    })
    afterAll(() => opened.close())
    beforeEach(() => host.resetApi())

    const open = (more = {}) => opened.codeHost().pullRequest({ ...wanted, ...more }, opened.account)
    const pullsAt = (method: string) => [method, `${opened.api}/pulls`] as const

    it('is opened once, however often it is asked for, at once as well', async () => {
      const both = await Promise.all([open(), open()])
      expect([...both, await open()].map(({ number }) => number)).toEqual([1, 1, 1])
      expect(host.pulls).toMatchObject([{ title: 'Title', body: 'Body', base: { ref: 'main' } }])
    })

    it('that was closed is the one of a branch of its own, and of no other', async () => {
      await open()
      for (const pull of host.pulls) pull.state = 'closed'
      expect((await open()).number).toBe(1)
      expect((await open({ isOwnBranch: false })).number).toBe(2)
    })

    it('whose answer was lost is found', async () => {
      let lost = 0
      host.after = () => (lost++ === 0 ? 'lost' : undefined)
      expect(await open()).toMatchObject({ number: 1 })
      expect([lost, host.pulls.length]).toEqual([1, 1])
    })

    it('is none that the code host lists although it was asked for another', async () => {
      await open()
      const { pulls } = host
      failing(host, pullsAt('GET'), () => ({ status: 200, body: pulls }), 1)
      host.commit('feature')
      expect((await open({ branch: 'feature' })).number).toBe(2)
    })

    it.each([
      ['POST', 403, 'code_host_forbidden'],
      ['POST', 404, 'code_host_forbidden'],
      ['POST', 422, 'pull_request_refused'],
      ['POST', 502, 'code_host_unavailable'],
      ['GET', 401, 'code_host_forbidden'],
      ['GET', 503, 'code_host_unavailable'],
      ['GET', 301, 'code_host_unavailable'],
    ])('that is answered %s %i is %s, in words of the service', async (method, status, code) => {
      failing(host, pullsAt(method), () => ({ status, body: { message: 'a word of the code host' } }))
      const thrown = await open().catch((error: unknown) => error)
      expect(thrown).toMatchObject({ code, message: expect.not.stringContaining('word of the code host') })
      expect(host.pulls).toEqual([])
    })
  })
