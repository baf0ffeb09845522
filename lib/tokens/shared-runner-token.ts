import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../core/principal.ts'
import { tokenHash } from './text.ts'

/** In place of the id of a token's row. No id of a row has this form. */
export const SHARED_TOKEN_ID = 'tok_shared'

/** Runners that have the shared token belong to no user. `admin`, as the maker of a token of the scope runner has to be. */
const SHARED_RUNNER: Principal = Object.freeze({
  userId: 'installation',
  role: 'admin',
  tokenId: SHARED_TOKEN_ID,
})

/**
 * The token that the setting RUNNER_TOKEN gives to runners of an installation: of the scope runner, for any number of
 * names, and without a row. A value with the form of an API token is none: that token is valid as long as its row exists.
 */
export const createSharedRunnerToken = (setting: string | undefined) => {
  const expected = setting === undefined || setting.startsWith('svc_') ? undefined : digest(setting)
  return {
    isSet: expected !== undefined,
    /** The principal of a text that is the token. */
    principal: (text: string): Principal | undefined =>
      expected !== undefined && timingSafeEqual(expected, digest(text)) ? SHARED_RUNNER : undefined,
  }
}

const digest = (text: string) => Buffer.from(tokenHash(text), 'hex')
