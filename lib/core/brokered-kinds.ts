/** The providers whose models programs of agents call by the broker of the service. */
export const brokeredKinds = ['anthropic', 'openai', 'google'] as const
export type BrokeredKind = (typeof brokeredKinds)[number]
