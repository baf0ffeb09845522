import { definedFields } from '../core/defined-fields.ts'
import { asFieldIssue, existing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { secretContext } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store, Update } from '../ports/store.ts'
import type { ChangeWebhook, CreateWebhook } from './contract.ts'
import { WEBHOOK_ID, type WebhookHealth, type WebhookRow, webhookHealth, webhooks } from './rows.ts'
import { MASKED_SECRET, SECRET_PREFIX, type Webhook } from './schema.ts'
import { type createSubscriptions, webhookContended } from './subscriptions.ts'

const SECRET_BYTES = 32
/** How long the replaced secret keeps signing after a rotation. */
const BOTH_MS = 86_400_000

/** The most replaced secrets that sign besides the newest two: a receiver may have any secret of the last day. */
const MOST_OLDER = 3

type Sealed = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousUntil' | 'olderSecrets'>

type WebhookSecretsNeeds = { cipher: Cipher; clock: Clock; entropy: Entropy }

type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

/** The signing secrets of webhooks, sealed at rest for one webhook each. */
export const createWebhookSecrets = ({ cipher, clock, entropy }: WebhookSecretsNeeds) => ({
  make: (): string => SECRET_PREFIX + entropy(SECRET_BYTES).toString('base64url'),

  seal: (id: string, secret: string): Promise<string> => cipher.seal(secret, secretContext(id)),

  /** The fields of a webhook after a rotation to a sealed secret. */
  rotated: (before: Sealed, secret: string): Sealed => {
    if (before.secret === undefined) return { secret }
    const older = replacedIn(before, clock.now()).slice(0, MOST_OLDER)
    return {
      secret,
      previousSecret: before.secret,
      previousUntil: clock.now() + BOTH_MS,
      olderSecrets: older,
    }
  },

  /** The secrets that sign now, newest first. */
  open: ({ id, ...sealed }: Sealed & { id: string }): Promise<string[]> => {
    const newest = sealed.secret === undefined ? [] : [sealed.secret]
    const replaced = replacedIn(sealed, clock.now()).map(({ secret }) => secret)
    return Promise.all([...newest, ...replaced].map((text) => cipher.open(text, secretContext(id))))
  },
})

/** The replaced secrets that still sign, newest first. */
const replacedIn = ({ previousSecret, previousUntil = 0, olderSecrets = [] }: Sealed, nowMs: number) => {
  const previous = previousSecret === undefined ? [] : [{ secret: previousSecret, until: previousUntil }]
  return [...previous, ...olderSecrets].filter(({ until }) => nowMs < until)
}

const MOST_WEBHOOKS = 100
const MOST_TRIES = 5

type Needs = {
  store: Store
  outbound: Pick<Outbound, 'check'>
  secrets: WebhookSecrets
  clock: Clock
  ids: Ids
  subscriptions: Pick<ReturnType<typeof createSubscriptions>, 'all' | 'change'>
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

/** The registrations of webhooks. They belong to the whole installation, as tasks do. */
export const createRegistrations = (needs: Needs) => {
  const { store, outbound, secrets, clock, ids, subscriptions, audit } = needs

  const all = async (): Promise<readonly WebhookRow[]> =>
    (await store.page(webhooks, { index: 'newest', order: 'desc', limit: MOST_WEBHOOKS })).rows

  const load = async (id: string): Promise<WebhookRow> => existing(await store.get(webhooks, id), 'Webhook')

  /** Throws Problem `invalid` `webhook_paused`. */
  const loadActive = async (id: string): Promise<WebhookRow> => {
    const row = await load(id)
    if (row.active) return row
    throw new Problem(
      'invalid',
      'webhook_paused',
      'This webhook is paused. Resume it first (PATCH with active: true)',
    )
  }

  const toWebhook = async (row: WebhookRow): Promise<Webhook> => {
    const {
      lastDelivery,
      deliveryCount = 0,
      failureCount = 0,
    } = (await store.get(webhookHealth, row.id)) ?? {}
    const { id, url, events, active, failing = false, secret, createdAt, updatedAt, createdBy } = row
    return {
      id,
      url,
      events,
      active,
      failing,
      ...(secret && { secret: MASKED_SECRET }),
      createdAt,
      updatedAt,
      createdBy,
      ...definedFields({ lastDelivery }),
      deliveryCount,
      failureCount,
    }
  }

  const refusePrivate = (url: string) =>
    outbound.check(url).catch((thrown) => {
      throw asFieldIssue('url', thrown)
    })

  /** Throws Problem `invalid` for a URL that the service may not reach, and beyond the limit of webhooks. */
  const create = async (principal: Principal, fields: CreateWebhook) => {
    await refusePrivate(fields.url)
    const id = ids.next(WEBHOOK_ID)
    const now = iso(clock.now())
    const secret = fields.generateSecret ? secrets.make() : fields.secret
    const row: WebhookRow = {
      id,
      url: fields.url,
      events: fields.events,
      active: true,
      createdAt: now,
      updatedAt: now,
      createdBy: principal.userId,
      ...(secret && { secret: await secrets.seal(id, secret) }),
    }
    const health: WebhookHealth = { id, deliveryCount: 0, failureCount: 0 }
    await subscriptions.change(async (now) => {
      if (Object.keys(now).length >= MOST_WEBHOOKS) throw tooMany()
      return {
        subscriptions: { ...now, [id]: row.events },
        rows: [
          { insert: webhooks, row },
          { insert: webhookHealth, row: health },
        ],
      }
    })
    await audit(principal, 'webhook.create', auditDetails(row))
    return { webhook: await toWebhook(row), ...(fields.generateSecret && secret ? { secret } : {}) }
  }

  /** The write of a change. An activated webhook gets its held deliveries. */
  const changeWrite = async (
    row: WebhookRow,
    { secret, ...fields }: ChangeWebhook,
  ): Promise<Update<WebhookRow>> => {
    const now = iso(clock.now())
    const isActivated = fields.active === true && !row.active
    return {
      update: webhooks,
      key: row.id,
      // A lost delivery may pause the webhook meanwhile: the write applies only to the state that was read.
      ...(fields.active === undefined ? {} : { when: { active: row.active } }),
      set: {
        ...fields,
        updatedAt: now,
        ...(typeof secret === 'string' ? { secret: await secrets.seal(row.id, secret) } : {}),
        ...(isActivated ? { resumeAt: now } : {}),
      },
      unset: [
        ...(secret === undefined ? [] : (['previousSecret', 'previousUntil', 'olderSecrets'] as const)),
        ...(secret === null ? (['secret'] as const) : []),
        ...(isActivated ? (['failing'] as const) : []),
      ],
    }
  }

  const changeAlone = async (id: string, fields: ChangeWebhook): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1)
      if ((await store.commit<WebhookRow>(await changeWrite(await load(id), fields))).applied) return
    throw webhookContended()
  }

  const change = async (principal: Principal, id: string, fields: ChangeWebhook): Promise<Webhook> => {
    if (fields.url !== undefined) await refusePrivate(fields.url)
    const { events } = fields
    if (events === undefined) await changeAlone(id, fields)
    else
      await subscriptions.change(async (now) => ({
        subscriptions: { ...now, [id]: events },
        rows: [await changeWrite(await load(id), fields)],
      }))
    const row = await load(id)
    await audit(principal, 'webhook.change', auditDetails(row))
    return toWebhook(row)
  }

  const remove = async (principal: Principal, id: string): Promise<void> => {
    let note = {}
    await subscriptions.change(async ({ [id]: _events, ...others }) => {
      note = auditDetails(await load(id))
      return {
        subscriptions: others,
        rows: [
          { remove: webhooks, key: id },
          { update: webhookHealth, key: id, set: { deletedAt: iso(clock.now()) } },
        ],
      }
    })
    await audit(principal, 'webhook.delete', note)
  }

  /** Makes a new secret, which only the answer shows; the old secret keeps signing for a day. */
  const rotate = async (principal: Principal, id: string) => {
    const row = await load(id)
    const secret = secrets.make()
    const set = { ...secrets.rotated(row, await secrets.seal(id, secret)), updatedAt: iso(clock.now()) }
    const when = { secret: row.secret ?? null }
    const { applied } = await store.commit<WebhookRow>({ update: webhooks, key: id, when, set })
    if (!applied) throw webhookContended()
    await audit(principal, 'webhook.rotate', auditDetails(row))
    return { webhook: await toWebhook({ ...row, ...set }), secret }
  }

  /** Makes held deliveries, and those that failed `since` a time, due again. Of two calls the earlier time counts. */
  const recover = async (id: string, since: string): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { resumeAt = null, recoverSince = null } = await loadActive(id)
      const from = recoverSince !== null && recoverSince < since ? recoverSince : since
      const { applied } = await store.commit<WebhookRow>({
        update: webhooks,
        key: id,
        when: { active: true, resumeAt, recoverSince },
        set: { resumeAt: iso(clock.now()), recoverSince: from },
      })
      if (applied) return
    }
    throw webhookContended()
  }

  return {
    load,
    recover,
    create,
    change,
    remove,
    rotate,
    list: async (): Promise<Webhook[]> => Promise.all((await all()).map(toWebhook)),
    /** Those that were paused since a delivery failed for good. */
    failing: async (): Promise<Webhook[]> =>
      Promise.all((await all()).filter(({ failing }) => failing).map(toWebhook)),
    get: async (id: string): Promise<Webhook> => toWebhook(await load(id)),
  }
}

/** The audit details of a webhook. They leave out the path of its URL, which may hold a secret. */
const auditDetails = ({ id, url, events, active }: WebhookRow) => ({
  id,
  host: new URL(url).host,
  events,
  active,
})

const tooMany = () =>
  new Problem(
    'invalid',
    'too_many_webhooks',
    `There are ${MOST_WEBHOOKS} webhooks, which is the limit. Delete one first`,
  )
