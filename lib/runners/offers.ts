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
type Asked = { readonly agent?: string | undefined; readonly runsOn?: readonly string[] | undefined }

/** Whether a runner may take a task: it has the agent, and all labels exactly. */
export const offerFits = ({ agents, labels }: Offer, { agent, runsOn = [] }: Asked): boolean =>
  agent !== undefined && agents.includes(agent) && runsOn.every((label) => labels.includes(label))

/**
 * Whether the process of the service may run a task itself: it has no labels, and leaves to runners the agents that they
 * have and that it lacks itself.
 */
export const fitsService = (
  { agent = '', runsOn = [] }: Asked,
  own: ReadonlySet<string>,
  offers: readonly Offer[],
): boolean => runsOn.length === 0 && (own.has(agent) || offers.every(({ agents }) => !agents.includes(agent)))

/** Why no offer fits a task, such as `no runner has gpu`; undefined when one fits. */
export const reasonNoneFits = (offers: readonly Offer[], asked: Asked): string | undefined => {
  if (offers.some((offer) => offerFits(offer, asked))) return undefined
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
  /** The agents that the process of the service can run; undefined where it runs no task itself. */
  own: (() => Promise<readonly string[]>) | undefined
}

/** A function that tells why no runner, nor the service itself, can take a task, as it is now. */
export const createWhyNoRunner =
  ({ runners, own }: Needs) =>
  async (): Promise<(asked: Asked) => string | undefined> => {
    const [all, takers, types = []] = await Promise.all([runners.all(), runners.takers(), own?.()])
    const [registered, taking, ownTypes] = [all.map(toOffer), takers.map(toOffer), new Set(types)]
    const isOwn = (asked: Asked) => own !== undefined && fitsService(asked, ownTypes, registered)
    return (asked) => (isOwn(asked) ? undefined : reasonNoneFits(taking, asked))
  }
