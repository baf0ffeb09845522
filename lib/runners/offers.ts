/** What a runner offers: the agents that it has, and its labels. */
export type Offer = {
  readonly name: string
  readonly agents: readonly string[]
  readonly labels: readonly string[]
}

type Runner = {
  readonly name: string
  readonly labels: readonly string[]
  readonly agents: readonly { type: string }[]
}
export const toOffer = ({ name, labels, agents }: Runner): Offer => ({
  name,
  labels,
  agents: agents.map(({ type }) => type),
})

/** What a task asks of its runner. */
export type Asked = {
  readonly agent?: string | undefined
  readonly runsOn?: readonly string[] | undefined
  readonly home?: string | undefined
}

const has = ({ agents, labels }: Offer, { agent, runsOn = [] }: Asked): boolean =>
  agent !== undefined && agents.includes(agent) && runsOn.every((label) => labels.includes(label))

/** The runner that has the workspace of a task's thread, if it takes tasks and could take this one. */
const homeIn = (taking: readonly Offer[], asked: Asked): Offer | undefined =>
  taking.find((offer) => offer.name === asked.home && has(offer, asked))

/**
 * Whether a runner may take a task: it has the agent, and all labels exactly. A task that goes on in a workspace waits for the
 * runner that has it, of those that take tasks.
 */
export const offerFits = (offer: Offer, asked: Asked, taking: readonly Offer[]): boolean =>
  has(offer, asked) && (homeIn(taking, asked) ?? offer).name === offer.name

/** The offers of all runners, and of those that take tasks now. */
export type Offers = { registered: readonly Offer[]; taking: readonly Offer[] }

/**
 * Whether the process of the service may run a task itself: it has no labels, and leaves to runners the agents that they
 * have and that it lacks itself, and what goes on in a workspace of theirs.
 */
export const fitsService = (
  asked: Asked,
  own: ReadonlySet<string>,
  { registered, taking }: Offers,
): boolean => {
  const { agent = '', runsOn = [] } = asked
  const isOwn = own.has(agent) || registered.every(({ agents }) => !agents.includes(agent))
  return runsOn.length === 0 && isOwn && homeIn(taking, asked) === undefined
}

/** Why no offer fits a task, such as `no runner has gpu`; undefined when one fits. */
export const reasonNoneFits = (offers: readonly Offer[], asked: Asked): string | undefined => {
  if (offers.some((offer) => has(offer, asked))) return undefined
  const { agent = '', runsOn = [] } = asked
  const missing = runsOn.filter((label) => offers.every(({ labels }) => !labels.includes(label)))
  if (missing.length > 0) return `no runner has ${inWords(missing)}`
  if (offers.every(({ agents }) => !agents.includes(agent))) return `no runner has the agent ${agent}`
  const withAgent = offers.filter((offer) => offer.agents.includes(agent))
  const lacks = runsOn.filter((label) => withAgent.every(({ labels }) => !labels.includes(label)))
  if (lacks.length > 0) return `no runner with the agent ${agent} has ${inWords(lacks)}`
  return `no runner with the agent ${agent} has ${inWords(runsOn)} together`
}

const inWords = (labels: readonly string[]): string =>
  labels.length < 2 ? labels.join() : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`

type Needs = {
  /** All runners, and those that take tasks now. */
  runners: {
    all(): Promise<readonly Runner[]>
    takers(): Promise<readonly Runner[]>
  }
  /** Tells which tasks the service runs itself, beside the runners that are registered. */
  isOwn: (offers: Offers) => Promise<(asked: Asked) => boolean>
}

/** A function that tells why no runner, nor the service itself, can take a task, as it is now. */
export const createWhyNoRunner =
  ({ runners, isOwn }: Needs) =>
  async (): Promise<(asked: Asked) => string | undefined> => {
    const [all, takers] = await Promise.all([runners.all(), runners.takers()])
    const offers = { registered: all.map(toOffer), taking: takers.map(toOffer) }
    const own = await isOwn(offers)
    return (asked) => (own(asked) ? undefined : reasonNoneFits(offers.taking, asked))
  }
