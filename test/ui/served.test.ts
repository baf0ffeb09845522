import { connect } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { openedService } from '../journeys/opened-service.ts'

const HTML = { accept: 'text/html,*/*;q=0.8' }
const service = openedService()

const get = (path: string, init: RequestInit = {}) => fetch(service().baseUrl + path, init)

/** Sends the path unnormalized, unlike fetch. Resolves to the status line. */
const rawStatus = (path: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(service().baseUrl)
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.setEncoding('utf8').on('data', (piece) => (text += piece))
    socket.on('error', reject).on('close', () => resolve(text.split('\r\n', 1)[0] ?? ''))
  })

describe('a started service', () => {
  it.each(['/', '/tasks', '/tasks/task_1?x=1', '/nowhere'])(
    'answers a browser at %s with the page',
    async (path) => {
      const answer = await get(path, { headers: HTML })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(await answer.text()).toContain('<div id="root">')
    },
  )

  it('serves what the page names, compressed and immutable, to all callers', async () => {
    const index = await (await get('/', { headers: HTML })).text()
    const names = [...index.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      const answer = await get(name, { headers: { 'accept-encoding': 'br' } })
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br'])
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect((await answer.text()).length).toBeGreaterThan(0)
    }
  })

  it.each([
    ['/manifest.webmanifest', 'application/manifest+json'],
    ['/icon.png', 'image/png'],
    ['/icon-maskable.png', 'image/png'],
  ])('serves %s, which installs the page, as %s, asked for anew each time', async (path, type) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('content-security-policy')).toContain("manifest-src 'self'")
  })

  it('answers HEAD with the headers of GET alone', async () => {
    const [head, fullBody] = [
      await get('/', { method: 'HEAD', headers: HTML }),
      await get('/', { headers: HTML }),
    ]
    const summary = (answer: Response) =>
      ['etag', 'content-type', 'cache-control'].map((name) => answer.headers.get(name))
    expect([head.status, ...summary(head)]).toEqual([200, ...summary(fullBody)])
    expect(await head.text()).toBe('')
  })

  it('says that the page has not changed to who has it', async () => {
    const etag = (await get('/', { headers: HTML })).headers.get('etag') ?? ''
    const again = await get('/', { headers: { ...HTML, 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it.each([
    ['GET', '/api/nowhere', 404],
    ['GET', '/assets/gone-12345678.js', 404],
    ['GET', '/api', 404],
    ['POST', '/tasks', 404],
  ])('answers %s %s as the API does, even to a browser: %i', async (method, path, status) => {
    const answer = await get(path, { method, headers: HTML })
    expect([answer.status, await answer.json()]).toMatchObject([status, { code: 'route_not_found' }])
  })

  it('answers a program that asks for no such thing in JSON', async () => {
    expect(await (await get('/nowhere')).json()).toMatchObject({ code: 'route_not_found' })
  })

  it.each([
    '/../package.json',
    '/assets/../../handler.ts',
    '/assets/%2e%2e/%2e%2e/handler.ts',
    '/..%2fhandler.ts',
  ])('has nothing at %s', async (path) => {
    expect(await rawStatus(path)).toBe('HTTP/1.1 404 Not Found')
  })
})
