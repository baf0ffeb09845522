/** A signing secret as it is stored, and what it was sealed for. */
export type SealedSecret = { sealed: string; context: string }

/** An event to be delivered; `body` is its envelope as JSON, whose `id` is the delivery's. */
export type NewDelivery = {
  id: string
  /** What it is sent for, such as a gateway request. */
  owner: string
  event: string
  url: string
  body: string
  secret?: SealedSecret
}

/** Keeps a delivery and begins to send it; adding it again changes nothing. */
export type AddDelivery = (delivery: NewDelivery) => Promise<void>
