/** Reported by the device, not verified. */
export const metaText = (meta: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const parts = Object.entries(meta ?? {}).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return parts.length > 0 ? parts.join(', ') : undefined
}

/** A device that scans a QR code has no name. */
export const deviceName = (requesterId: string) => (requesterId === 'qr' ? 'By QR code' : requesterId)
