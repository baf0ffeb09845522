/** Lower and then upper case: the pair also equates ß with SS, and both small sigmas, which one step alone does not. */
export const fold = (text: string): string => text.toLowerCase().toUpperCase()
