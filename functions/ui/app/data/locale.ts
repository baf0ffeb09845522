import { useEffect } from 'react'
import { useMe } from './me.ts'
import { createStored } from './stored.ts'

/** Missing values mean the browser's. */
type Locale = { readonly language?: string; readonly zone?: string }

const isLocale = (value: unknown): value is Locale => typeof value === 'object' && value !== null

// Stored, so that formatting is right before the profile loads.
export const locale = createStored<Locale>('locale', {}, isLocale)

/** Falls back to the browser's zone if Intl does not know that of the profile. */
export const zoneNow = (): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  try {
    return new Intl.DateTimeFormat('en', { timeZone: locale.get().zone ?? timeZone }).resolvedOptions()
      .timeZone
  } catch {
    return timeZone
  }
}

/** Follows the profile. Returns a key that changes with the locale, to render the page again. */
export const useLocale = (): string => {
  const me = useMe()
  const { language, zone } = locale.use()
  useEffect(() => {
    if (me === undefined || (me.locale === language && me.timezone === zone)) return
    locale.set({
      ...(me.locale ? { language: me.locale } : {}),
      ...(me.timezone ? { zone: me.timezone } : {}),
    })
  }, [me, language, zone])
  return `${language ?? ''} ${zone ?? ''}`
}
