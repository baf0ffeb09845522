import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { makeBareRepository, startGitHost } from '../../fakes/git-host.ts'
import { openRepositories, type Repositories } from './repositories.ts'

let repositories: Repositories
beforeAll(async () => {
  repositories = await openRepositories()
})
afterAll(() => repositories[Symbol.asyncDispose]())

describe('the address of a clone by https', () => {
  it('is the checked one, whatever the name stands for later', async () => {
    await using host = await startGitHost(await repositories.folderIn('moved'))
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const { result } = await repositories.cloneFrom(
      host,
      'repository.test',
      async () => answers.shift() ?? [],
    )
    expect(await result).toMatchObject({ success: true })
    expect(answers).toEqual([['127.0.0.2']])
  })

  it.each([
    [
      'a redirect',
      (to: string) => ({
        url: '/owner/repo.git/info/refs',
        status: 302,
        headers: { location: `${to}/info/refs` },
        body: '',
      }),
    ],
    [
      'an alternate',
      (to: string) => ({
        url: '/owner/repo.git/objects/info/http-alternates',
        status: 200,
        headers: {},
        body: `${to}/objects\n`,
      }),
    ],
  ])('is not that of %s', async (_title, misleading) => {
    await using inside = await startGitHost(await repositories.folderIn('inside'))
    const lead = misleading(`https://127.0.0.1:${inside.port}/owner/repo.git`)
    const bare = makeBareRepository(await repositories.folderIn('lead'))
    await using host = await startGitHost(await repositories.folderIn('outside'), {
      answer: ({ url = '' }, response) => {
        const [path = ''] = url.split('?')
        if (path === lead.url) return response.writeHead(lead.status, lead.headers).end(lead.body)
        // All but the objects, which are said to be elsewhere.
        const file = path.replace('/owner/repo.git', bare)
        if (path.includes('/objects/') || !existsSync(file)) return response.writeHead(404).end()
        return response.end(readFileSync(file))
      },
    })
    const { result } = await repositories.cloneFrom(host, '127.0.0.1')
    await expect(result).rejects.toMatchObject({ code: 'clone_failed' })
    expect(host.heard.length).toBeGreaterThan(0)
    expect(inside.connections).toBe(0)
  })
})
