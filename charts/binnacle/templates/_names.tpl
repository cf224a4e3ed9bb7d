{{- define "binnacle.nameOf" -}}
{{ printf "%s-%s" (.root.Release.Name | trunc 40 | trimSuffix "-") .component }}
{{- end }}

{{- define "binnacle.name" -}}
{{ include "binnacle.nameOf" (dict "root" . "component" "apiserver") }}
{{- end }}

{{- define "binnacle.selectorLabelsOf" -}}
app.kubernetes.io/name: binnacle
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "binnacle.selectorLabels" -}}
{{ include "binnacle.selectorLabelsOf" (dict "root" . "component" "apiserver") }}
{{- end }}

{{- define "binnacle.labelsOf" -}}
{{ include "binnacle.selectorLabelsOf" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "binnacle.labels" -}}
{{ include "binnacle.labelsOf" (dict "root" . "component" "apiserver") }}
{{- end }}

{{- define "binnacle.image" -}}
{{ required "image.repository is needed" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Of each component another node where there is one. */}}
{{- define "binnacle.antiAffinity" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "binnacle.selectorLabelsOf" . | nindent 12 }}
{{- end }}

{{- define "binnacle.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end }}
