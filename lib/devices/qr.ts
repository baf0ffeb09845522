import { invalid } from '../core/errors.ts'

/** A DNS name or address with its port. */
const LONGEST_HOST = 261

/** What the code of a request looks like to a camera: where to go with which code. */
export const pairingUrl = (code: string, baseUrl: string): string => {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : ''
  if (host === '' || host.length > LONGEST_HOST)
    throw invalid([{ path: 'host', message: 'must name the service' }], 'host_unknown')
  return `svc://pair?${new URLSearchParams({ code, host })}`
}

/** The text as a QR code in SVG: squares only, nothing of the text itself. */
export const qrSvg = async (text: string): Promise<string> => {
  // Loaded at the first request: nothing else needs it.
  const { toString: draw } = await import('qrcode')
  return draw(text, { type: 'svg', errorCorrectionLevel: 'M' })
}
