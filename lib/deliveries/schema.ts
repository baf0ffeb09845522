/** What the signing secrets of an owner are sealed as: beside the deliveries of another they open nothing. */
export const secretContext = (owner: string): string => `deliveries/${owner}`

/** An event to be delivered; `body` is its envelope as JSON, whose `id` is the delivery's. */
export type NewDelivery = {
  id: string
  /** What it is sent for, such as a gateway request. */
  owner: string
  event: string
  url: string
  body: string
  /** The signing secret, sealed as `secretContext` of the owner. */
  secret?: string
}

/** Stores a delivery and starts its first attempt. A repeat stores nothing, and starts the attempt if nothing else has. */
export type AddDelivery = (delivery: NewDelivery) => Promise<void>
