import { describe, expect, it } from '@jest/globals'
import { encodeWildcardPath } from '../../lib/http/router.ts'

const encode = encodeWildcardPath([
  { method: 'GET', path: '/api/files/{path}/chunks', wildcard: true },
  { method: 'DELETE', path: '/api/files/{path}', wildcard: true },
  { method: 'GET', path: '/api/tasks/{id}' },
])
const encodedPath = (request: string) => {
  const [method = '', path = ''] = request.split(' ')
  const http = { method, path, sourceIp: '' }
  encode({ requestContext: { requestId: '', http } })
  return http.path
}

describe('a parameter that may hold slashes', () => {
  it('is not what a gateway takes for it, which is all that follows', () => {
    const http = { method: 'GET', path: '/api/files/a/b.md/chunks', sourceIp: '' }
    const event = { requestContext: { requestId: '', http }, pathParameters: { path: 'a/b.md/chunks' } }
    encode(event)
    expect(event.pathParameters).toEqual({})
  })

  it.each([
    ['as callers send it', 'GET /api/files/a%2Fb.md/chunks', '/api/files/a%2Fb.md/chunks'],
    ['decoded by a gateway', 'GET /api/files/a/b.md/chunks', '/api/files/a%2Fb.md/chunks'],
    ['asked for by HEAD', 'HEAD /api/files/a/b.md/chunks', '/api/files/a%2Fb.md/chunks'],
    ['at the end of a path', 'DELETE /api/files/a/b/chunks', '/api/files/a%2Fb%2Fchunks'],
    [
      'with what looks like the end of the route',
      'GET /api/files/a/chunks/chunks',
      '/api/files/a%2Fchunks/chunks',
    ],
    ['decoded, with a percent sign', 'GET /api/files/a/100%.md/chunks', '/api/files/a%2F100%25.md/chunks'],
    ['of no segment', 'GET /api/files/chunks', '/api/files/chunks'],
    ['under another method', 'POST /api/files/a/b/chunks', '/api/files/a/b/chunks'],
    ['of a route that takes none', 'GET /api/tasks/a/b', '/api/tasks/a/b'],
  ])('is one segment of a path: %s', (_what, request, path) => {
    expect(encodedPath(request)).toBe(path)
  })
})
