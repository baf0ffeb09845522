import { useEffect } from 'react'
import { useMe } from './me.ts'
import { createStored } from './stored.ts'

/** The language and the time zone that are written in; the browser's where the profile names none. */
type Locale = { readonly language?: string; readonly zone?: string }

const isLocale = (value: unknown): value is Locale => typeof value === 'object' && value !== null

// Kept, so that the page is written in it before the profile has come.
export const locale = createStored<Locale>('locale', {}, isLocale)

/** The time zone that times are written in: the browser's where it does not know that of the profile. */
export const zoneNow = (): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  try {
    return new Intl.DateTimeFormat('en', { timeZone: locale.get().zone ?? timeZone }).resolvedOptions()
      .timeZone
  } catch {
    return timeZone
  }
}

/** Follows the profile of who is signed in. Returns a key of it: what is on the page is written anew when it changes. */
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
