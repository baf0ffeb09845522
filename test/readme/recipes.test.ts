import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { createGroups } from '../../lib/api/table.ts'

import { createFakeClock } from '../fakes/clock.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { createFakeLog } from '../fakes/log.ts'
import { readText, root } from './readme.ts'

describe('what the recipes of CONTRIBUTING.md promise to notice', () => {
  it('is a group of routes that is served and not described, or described and not served', () => {
    const http = {
      guard: openGuard,
      proxies,
      record: () => undefined,
      clock: createFakeClock(),
      log: createFakeLog(),
    }
    // Handlers take hold of their services when they are called, and none is.
    const groups = createGroups(http, { oauth: {} } as never)
    expect(groups.flatMap((group) => Object.keys(group.routes)).sort()).toEqual(Object.keys(routes).sort())
  })

  it.each(['store', 'queue'])(
    'is an adapter of the %s port that its contract suite does not run on',
    (port) => {
      const adapters = globSync(`lib/adapters/*/${port}.ts`, { cwd: root })
      const suite = readText(`test/contract/${port}.test.ts`)
      expect(adapters.map((name) => basename(name))).toContain(`${port}.ts`)
      expect(adapters.filter((name) => !suite.includes(`../../${name}`))).toEqual([])
    },
  )
})
