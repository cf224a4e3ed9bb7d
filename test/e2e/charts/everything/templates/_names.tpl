{{- define "everything.labels" -}}
app.kubernetes.io/name: everything
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "everything.container" -}}
name: main
image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
envFrom:
  - configMapRef:
      name: {{ .Release.Name }}-settings
{{- end }}
