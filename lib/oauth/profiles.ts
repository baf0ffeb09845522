import * as z from 'zod'
import { definedFields } from '../core/defined-fields.ts'
import { boundedText } from '../core/shown-text.ts'
import type { Profile } from './provider.ts'

/** Asks a provider's API with the access token; `path` begins with a slash. Throws Problem `oauth_failed`. */
export type AskApi = <T extends z.ZodType>(answer: T, path: string, body?: object) => Promise<z.output<T>>

const text = boundedText(500).transform((value) => value.toWellFormed())
const optional = text
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined)

const CodehostUser = z.object({ id: z.number().int(), login: text, name: optional, avatar_url: optional })
const CodehostEmails = z.array(z.object({ email: text, primary: z.boolean(), verified: z.boolean() }))

/** Addresses of the code host that hide the real ones: they receive no mail. */
const HIDING = /@users\.noreply\./i

/** GET /user and GET /user/emails of GitHub's REST API: prefers a verified address, and the primary one. */
export const codehostProfile = async (ask: AskApi): Promise<Profile> => {
  const user = await ask(CodehostUser, '/user')
  const emails = await ask(CodehostEmails, '/user/emails')
  const worth = (one: z.output<typeof CodehostEmails>[number]) =>
    Number(one.verified) * 2 + Number(one.primary)
  const [email] = emails.filter((one) => !HIDING.test(one.email)).sort((a, b) => worth(b) - worth(a))
  return {
    subject: String(user.id),
    username: user.login,
    ...definedFields({ name: user.name, avatarUrl: user.avatar_url, email: email?.email }),
    emailVerified: email?.verified === true,
  }
}

const TrackeraUser = z.object({
  account_id: text,
  name: optional,
  email: optional,
  email_verified: z.boolean().nullish(),
  picture: optional,
})
const TrackeraSites = z.array(z.object({ id: text, name: text }))

/** GET /me and the accessible resources of Atlassian's API. A person with several sites gets the first one. */
export const trackeraProfile = async (ask: AskApi): Promise<Profile> => {
  const user = await ask(TrackeraUser, '/me')
  const [site] = await ask(TrackeraSites, '/oauth/token/accessible-resources')
  return {
    subject: user.account_id,
    ...definedFields({ username: user.name, name: user.name, avatarUrl: user.picture, email: user.email }),
    emailVerified: user.email_verified === true,
    ...(site ? { workplace: { cloudId: site.id, siteName: site.name } } : {}),
  }
}

const TrackerbViewer = z.object({
  data: z.object({
    viewer: z.object({ id: text, name: optional, email: optional, avatarUrl: optional }),
    organization: z.object({ id: text, name: text }),
    teams: z.object({ nodes: z.array(z.object({ id: text, name: text, key: text })) }),
  }),
})
const TRACKERB_QUERY =
  '{ viewer { id name email avatarUrl } organization { id name } teams(first: 100) { nodes { id name key } } }'

/**
 * The viewer of Linear's GraphQL API. Linear does not report whether an address is verified, but all are: people sign in
 * by a link sent there, by Google, or by the identity provider of a proven domain.
 */
export const trackerbProfile = async (ask: AskApi): Promise<Profile> => {
  const { data } = await ask(TrackerbViewer, '/graphql', { query: TRACKERB_QUERY })
  const { viewer, organization, teams } = data
  const { id: subject, ...person } = viewer
  return {
    subject,
    ...definedFields({ ...person, username: person.name }),
    emailVerified: person.email !== undefined,
    workplace: { workspaceId: organization.id, workspaceName: organization.name, teams: teams.nodes },
  }
}

const OidcClaims = z.object({
  email: optional,
  // Some issuers write booleans as texts.
  email_verified: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .optional()
    .catch(undefined),
  name: optional,
  preferred_username: optional,
  picture: optional,
})

/** Whether claims have an address, and say whether it is verified. */
export const hasAddress = (claims: unknown): boolean => {
  const { email, email_verified } = OidcClaims.parse(claims)
  return typeof email === 'string' && email_verified !== undefined
}

/**
 * The standard claims (OpenID Connect Core 1.0, section 5.1) of an ID token, and of userinfo if it was read. An address
 * counts as verified by the answer that has it: the other answer may be about another address.
 */
export const oidcProfile = (subject: string, idToken: unknown, userinfo: unknown = {}): Profile => {
  const [claims, more] = [OidcClaims.parse(idToken), OidcClaims.parse(userinfo)]
  const { email, email_verified } = more.email ? more : claims
  return {
    subject,
    ...definedFields({
      username: more.preferred_username ?? claims.preferred_username,
      name: more.name ?? claims.name,
      email,
      avatarUrl: more.picture ?? claims.picture,
    }),
    emailVerified: email_verified === true,
  }
}
