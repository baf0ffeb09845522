import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { onLoopback } from '../../offline/loopback.ts'

const UNREACHABLE = { name: 'Problem', kind: 'unavailable', code: 'provider_unreachable' }

const serving = async (listener: RequestListener) => {
  const { url, stop } = await onLoopback(createServer(listener))
  return { url: `${url}/`, [Symbol.asyncDispose]: stop }
}

describe('a request to a provider', () => {
  it('is sent as it is, and its answer is whole', async () => {
    await using server = await serving((request, response) => {
      const heard = [request.method, request.headers['content-type'], request.headers.accept]
      request.on('data', (data) => heard.push(String(data)))
      request.on('end', () => response.writeHead(201, { 'x-heard': 'yes' }).end(JSON.stringify(heard)))
    })
    const answer = await createProviderFetch()(server.url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ a: 'b c' }),
    })
    expect([answer.status, answer.headers.get('x-heard')]).toEqual([201, 'yes'])
    expect(await answer.json()).toEqual([
      'POST',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'application/json',
      'a=b+c',
    ])
  })

  it('follows no redirect', async () => {
    const asked: (string | undefined)[] = []
    await using server = await serving((request, response) => {
      asked.push(request.url)
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect((await createProviderFetch()(server.url)).status).toBe(302)
    expect(asked).toEqual(['/'])
  })

  it('may have an answer without a body', async () => {
    await using server = await serving((_request, response) => void response.writeHead(204).end())
    expect((await createProviderFetch()(server.url)).status).toBe(204)
  })

  it.each([
    ['never begins', () => undefined],
    ['never ends', (response: import('node:http').ServerResponse) => void response.write('x')],
  ])('is given up when its answer %s', async (_what, answer) => {
    await using server = await serving((_request, response) => answer(response))
    await expect(createProviderFetch({ timeoutMs: 100 })(server.url)).rejects.toMatchObject(UNREACHABLE)
  })

  it('is given up when its answer drips on and on', async () => {
    await using server = await serving((_request, response) => {
      const drip = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(drip))
    })
    await expect(createProviderFetch({ timeoutMs: 200 })(server.url)).rejects.toMatchObject(UNREACHABLE)
  })

  it('is given up, and its connection closed, when its answer is more than 1 MiB', async () => {
    let isClosed = false
    await using server = await serving((_request, response) => {
      response.on('close', () => {
        isClosed = true
      })
      const more = () => response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more))
      more()
    })
    await expect(createProviderFetch({ timeoutMs: 60_000 })(server.url)).rejects.toMatchObject(UNREACHABLE)
    for (let turn = 0; turn < 200 && !isClosed; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(isClosed).toBe(true)
  })

  it('fails as unreachable where no server listens', async () => {
    await expect(createProviderFetch()('http://127.0.0.1:1/')).rejects.toMatchObject(UNREACHABLE)
  })
})
