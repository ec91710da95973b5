// The public type of OpenTelemetry's TracerProvider. A file of its own, because the declarations of the public API must not import
// `@opentelemetry/api`, which is optional.

/** The used method of OpenTelemetry's TracerProvider; structural, so that the API stays optional. */
export interface TracerProviderShape {
  getTracer(name: string, version?: string): object;
}
