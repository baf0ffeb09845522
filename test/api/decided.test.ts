import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Access, Route } from '../../lib/http/route.ts'

/** Where a browser sets out to sign in elsewhere. */
const departures = [
  'GET /api/auth/codehost',
  'GET /api/auth/codehost/url',
  'GET /api/auth/oidc',
  'GET /api/auth/trackera',
  'GET /api/auth/trackerb',
]
/** Where it comes back to. */
const returns = [
  'GET /api/auth/codehost/callback',
  'GET /api/auth/oidc/callback',
  'GET /api/auth/trackera/callback',
  'GET /api/auth/trackerb/callback',
]

/**
 * Every route that asks for less or for more than a session, as it was decided. That each holds what its access says
 * is shown elsewhere, from the same tables: this is what keeps a table from being changed by a slip.
 */
const decided: Readonly<Record<Exclude<Access, 'session'>, readonly string[]>> = {
  public: [
    'GET /api/devices/identity',
    'GET /api/devices/pairing/qr',
    'GET /api/devices/pairing/status/{requestId}',
    'GET /api/health',
    'GET /api/health/ready',
    'GET /api/openapi.json',
    'POST /api/auth/login',
    'POST /api/auth/phone/sign-in',
    'POST /api/auth/reset',
    'POST /api/auth/signup',
    'POST /api/auth/verify-access-key',
    'POST /api/devices/pairing/request',
    'POST /api/devices/verify',
    ...['POST /api/webhooks/codehost', 'POST /api/webhooks/trackera', 'POST /api/webhooks/trackerb'],
  ],
  any: ['GET /api/auth/me', 'POST /api/auth/logout'],
  optional: [...departures, ...returns, 'POST /api/auth/codehost/token'],
  runner: [
    'POST /api/runners',
    'POST /api/runners/{id}/claims',
    ...[
      'approvals',
      'approvals/{approvalId}',
      'events',
      'guidance',
      'memory',
      'outcome',
      'pause',
      'renew',
      'resume',
    ].map((verb) => `POST /api/runners/{id}/claims/{taskId}/${verb}`),
  ],
  admin: [
    'DELETE /api/auth/invites/{id}',
    'DELETE /api/holds/{id}',
    'DELETE /api/memory/all',
    'DELETE /api/model-keys/{provider}',
    'DELETE /api/runners/{id}',
    'GET /api/audit',
    'GET /api/auth/invites',
    'GET /api/devices/pairing/pending',
    'GET /api/model-keys',
    'GET /api/settings',
    'GET /api/users',
    'PATCH /api/settings',
    'PATCH /api/users/{id}',
    'POST /api/auth/invites',
    'POST /api/model-keys/{provider}/check',
    'POST /api/runners/{id}/drain',
    'POST /api/tasks/import',
    'POST /api/users/{id}/reset-code',
    'PUT /api/auth/access-key',
    'PUT /api/security/policy',
    'PUT /api/integrations/web-search',
    'PUT /api/model-keys/{provider}',
  ],
  gateway: ['GET /api/gateway/{requestId}/status', 'POST /api/gateway'],
  // Also by whoever is signed in.
  webhooks: [
    ...['GET', 'POST'].map((method) => `${method} /api/webhooks`),
    ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/webhooks/{id}`),
    ...['rotate', 'test', 'resume', 'recover'].map((verb) => `POST /api/webhooks/{id}/${verb}`),
    'GET /api/webhooks/{id}/deliveries',
    'POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  ],
}

const all: readonly Route[] = Object.values(routes)
const routeNames = (found: readonly Route[]) => found.map(({ method, path }) => `${method} ${path}`).sort()

describe('who may call what', () => {
  it.each(Object.entries(decided))('was decided for %s', (access, wanted) => {
    const found = all.filter((route) => route.access === access)
    expect(routeNames(found)).toEqual(wanted.toSorted())
  })
})

describe('a GET that changes something', () => {
  it('is one of those that had to be one, and is not asked by HEAD', () => {
    const wanted = [...departures, ...returns, 'GET /api/devices/pairing/qr']
    expect(routeNames(all.filter(({ writes }) => writes))).toEqual(wanted.toSorted())
  })
})

describe('a route that is limited', () => {
  it('is one of those that were to be', () => {
    const wanted = [
      ...departures,
      'GET /api/chat/sessions/{id}/events',
      'GET /api/devices/pairing/qr',
      'GET /api/events/stream',
      'POST /api/auth/login',
      'POST /api/auth/password',
      'POST /api/auth/phone/sign-in',
      'POST /api/auth/reset',
      'POST /api/auth/signup',
      'POST /api/auth/verify-access-key',
      ...['', '/agentic', '/with-tools'].map((kind) => `POST /api/chat/conversations/{id}/messages${kind}`),
      ...['completions', 'quick', 'smart'].map((kind) => `POST /api/chat/${kind}`),
      'POST /api/devices/pairing/approve',
      'POST /api/devices/pairing/reject',
      'POST /api/devices/pairing/request',
      'POST /api/gateway',
      'POST /api/tasks/import',
    ]
    expect(routeNames(all.filter(({ limited }) => limited))).toEqual(wanted.toSorted())
  })
})
